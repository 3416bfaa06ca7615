<?php
require __DIR__ . "/vendor/autoload.php";

$secret = getenv("BELFRY_SIGNING_SECRET") ?: throw new RuntimeException("no secret");
$inbox = getenv("INBOX") ?: "inbox";
is_dir($inbox) || mkdir($inbox);

$body = file_get_contents("php://input"); // the bytes that were signed
$headers = [
    "webhook-id" => $_SERVER["HTTP_WEBHOOK_ID"] ?? null,
    "webhook-timestamp" => $_SERVER["HTTP_WEBHOOK_TIMESTAMP"] ?? null,
    "webhook-signature" => $_SERVER["HTTP_WEBHOOK_SIGNATURE"] ?? null,
];

try {
    (new StandardWebhooks\Webhook($secret))->verify($body, $headers);
} catch (Throwable) {
    http_response_code(400);
    exit();
}

// In earnest: a row whose primary key is the id. Another process works on what is kept.
$path = "$inbox/{$headers["webhook-id"]}.json";
$file = @fopen($path, "x");
if ($file !== false) {
    fwrite($file, $body);
    fclose($file);
}
// There already: sent a second time. Not there: not kept, and Belfry sends it again.
http_response_code(file_exists($path) ? 204 : 500);

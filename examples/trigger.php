<?php
$body = json_encode([
    "eventType" => "global.info",
    "payload" => ["userId" => "user-1"],
    "variables" => ["title" => "Grüße", "message" => "From PHP"],
]);

$curl = curl_init(getenv("BELFRY_URL") . "/api/v1/events/trigger");
curl_setopt_array($curl, [
    CURLOPT_POST => true,
    CURLOPT_POSTFIELDS => $body,
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 10,
    CURLOPT_HTTPHEADER => [
        "Content-Type: application/json",
        "X-Api-Key: " . getenv("BELFRY_API_KEY"),
        "X-Idempotency-Key: sample-php-1",
        "X-Service-Signature: " . hash_hmac("sha256", $body, getenv("BELFRY_WEBHOOK_SECRET")),
    ],
]);
$answer = curl_exec($curl);
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
echo $status, " ", $answer, "\n";
exit($status === 200 ? 0 : 1);

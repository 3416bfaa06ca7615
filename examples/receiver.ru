require "fileutils"
require "standardwebhooks"

secret = ENV.fetch("BELFRY_SIGNING_SECRET")
raise "no secret" if secret.empty?
webhook = StandardWebhooks::Webhook.new(secret)
inbox = ENV.fetch("INBOX", "inbox")
FileUtils.mkdir_p(inbox)

run lambda { |env|
  body = env["rack.input"].read # the bytes that were signed
  headers = {
    "webhook-id" => env["HTTP_WEBHOOK_ID"],
    "webhook-timestamp" => env["HTTP_WEBHOOK_TIMESTAMP"],
    "webhook-signature" => env["HTTP_WEBHOOK_SIGNATURE"],
  }
  begin
    webhook.verify(body, headers)
  rescue StandardError
    next [400, {}, []]
  end
  begin
    # In earnest: a row whose primary key is the id. Another process works on what is kept.
    path = File.join(inbox, "#{headers["webhook-id"]}.json")
    File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY) { |file| file.write(body) }
  rescue Errno::EEXIST
    # sent a second time
  end
  [204, {}, []]
}

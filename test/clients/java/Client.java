import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.centrifugal.centrifuge.*;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;

/** A program around centrifuge-java for the tests of the realtime gateway: test/clients/programs.ts says what it speaks. */
class Client {
  private static final Gson GSON = new Gson();
  private static final LinkedBlockingQueue<String> TOKENS = new LinkedBlockingQueue<>();

  public static void main(String[] arguments) throws Exception {
    JsonObject settings = JsonParser.parseString(arguments[0]).getAsJsonObject();
    Options options = new Options();
    options.setToken(settings.get("token").getAsString());
    options.setMinReconnectDelay(20);
    options.setMaxReconnectDelay(200);
    options.setTokenGetter(new ConnectionTokenGetter() {
      @Override
      public void getConnectionToken(ConnectionTokenEvent event, TokenCallback callback) {
        say("token", new JsonObject());
        new Thread(() -> {
          try {
            callback.Done(null, TOKENS.take());
          } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
          }
        }).start();
      }
    });
    var client = new io.github.centrifugal.centrifuge.Client(settings.get("url").getAsString(), options, new Events());
    for (JsonElement channel : settings.getAsJsonArray("channels")) {
      SubscriptionOptions of = new SubscriptionOptions();
      of.setMinResubscribeDelay(20);
      of.setMaxResubscribeDelay(200);
      client.newSubscription(channel.getAsString(), of, new SubscriptionEvents()).subscribe();
    }
    client.connect();

    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonObject command = JsonParser.parseString(line).getAsJsonObject();
      if (command.get("command").getAsString().equals("token")) TOKENS.add(command.get("token").getAsString());
      else call(client, command);
    }
    System.exit(0);
  }

  private static void call(io.github.centrifugal.centrifuge.Client client, JsonObject command) {
    byte[] data = GSON.toJson(command.get("data")).getBytes(StandardCharsets.UTF_8);
    client.rpc(command.get("method").getAsString(), data, (error, result) -> {
      JsonObject answer = new JsonObject();
      answer.add("id", command.get("id"));
      ReplyError refused = error instanceof ReplyError reply ? reply : result == null ? null : result.getError();
      if (refused != null) {
        answer.addProperty("code", refused.getCode());
        answer.addProperty("message", refused.getMessage());
      } else if (error != null) {
        answer.addProperty("code", -1);
        answer.addProperty("message", error.toString());
      } else {
        answer.add("data", read(result.getData()));
      }
      say("answer", answer);
    });
  }

  static JsonElement read(byte[] data) {
    return JsonParser.parseString(new String(data, StandardCharsets.UTF_8));
  }

  static synchronized void say(String event, JsonObject fields) {
    fields.addProperty("event", event);
    System.out.println(GSON.toJson(fields));
  }

  static class Events extends EventListener {
    @Override
    public void onConnected(io.github.centrifugal.centrifuge.Client client, ConnectedEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("client", event.getClient());
      say("connected", fields);
    }

    @Override
    public void onConnecting(io.github.centrifugal.centrifuge.Client client, ConnectingEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("code", event.getCode());
      say("connecting", fields);
    }

    @Override
    public void onDisconnected(io.github.centrifugal.centrifuge.Client client, DisconnectedEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("code", event.getCode());
      fields.addProperty("reason", event.getReason());
      say("disconnected", fields);
    }

    @Override
    public void onMessage(io.github.centrifugal.centrifuge.Client client, MessageEvent event) {
      JsonObject fields = new JsonObject();
      fields.add("data", read(event.getData()));
      say("message", fields);
    }

    @Override
    public void onError(io.github.centrifugal.centrifuge.Client client, ErrorEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("message", String.valueOf(event.getError()));
      say("error", fields);
    }
  }

  static class SubscriptionEvents extends SubscriptionEventListener {
    @Override
    public void onSubscribed(Subscription subscription, SubscribedEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("channel", subscription.getChannel());
      fields.addProperty("wasRecovering", event.wasRecovering());
      fields.addProperty("recovered", event.getRecovered());
      say("subscribed", fields);
    }

    @Override
    public void onUnsubscribed(Subscription subscription, UnsubscribedEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("channel", subscription.getChannel());
      fields.addProperty("code", event.getCode());
      say("unsubscribed", fields);
    }

    @Override
    public void onPublication(Subscription subscription, PublicationEvent event) {
      JsonObject fields = new JsonObject();
      fields.addProperty("channel", subscription.getChannel());
      fields.addProperty("offset", event.getOffset());
      fields.add("tags", GSON.toJsonTree(event.getTags()));
      fields.add("data", read(event.getData()));
      say("publication", fields);
    }
  }
}

import { connect, type Socket } from "node:net";

interface Exchange {
  resolve(answer: { status: number; body: string }): void;
  reject(error: Error): void;
}

/**
 * As little of HTTP/1.1 as a load needs: POSTs over kept connections, one at a time on each. A whole client
 * takes as much CPU time a request as the server that is measured on the same cores.
 * `headers` of a post are whole lines, each ended by CRLF.
 */
export function createRawHttp(url: string, connections: number) {
  const { hostname, port } = new URL(url);
  const free: Connection[] = Array.from(
    { length: connections },
    () => new Connection(hostname, Number(port)),
  );
  const all = [...free];
  const waiting: ((connection: Connection) => void)[] = [];
  return {
    /** Waits for a free connection. Rejects when it breaks. */
    async post(path: string, headers: string, body: string) {
      const connection =
        free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)));
      try {
        return await connection.post(path, headers, body);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(connection);
        else next(connection);
      }
    },
    close() {
      for (const connection of all) connection.close();
    },
  };
}

class Connection {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket | undefined;
  #received = "";
  #exchange: Exchange | undefined;

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  post(path: string, headers: string, body: string): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      this.#socket ??= this.#open();
      const length = Buffer.byteLength(body);
      this.#socket.write(
        `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`,
      );
    });
  }

  /** A server closes what has rested for long: the next post opens it anew. */
  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#onText(text));
    socket.on("error", (error) => this.#exchange?.reject(error));
    socket.on("close", () => {
      this.#socket = undefined;
      this.#exchange?.reject(new Error("the connection was closed"));
    });
    return socket;
  }

  close(): void {
    this.#exchange = undefined;
    this.#socket?.destroy();
  }

  #onText(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, end))?.[1];
    const body = this.#received.slice(end + 4);
    if (length === undefined) this.#exchange?.reject(new Error("an answer without its length"));
    if (body.length < Number(length)) return;
    const status = Number(this.#received.slice(9, 12));
    const exchange = this.#exchange;
    this.#received = "";
    this.#exchange = undefined;
    exchange?.resolve({ status, body });
  }
}

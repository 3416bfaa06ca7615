/** A call's data that is not flat, as its text until the call is run: read, it takes twenty times as much. */
export class NestedData {
  readonly #text: string;

  constructor(value: object) {
    this.#text = JSON.stringify(value);
  }

  read(): unknown {
    return JSON.parse(this.#text);
  }
}

/** Preloaded into a process (`node --import`): its wall clock is CLOCK_SHIFT_MS ahead. */
// biome-ignore lint/style/noProcessEnv: the only way to reach a preloaded module
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() + shiftMs;
  }
} as DateConstructor;

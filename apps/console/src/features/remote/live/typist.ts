/** An X server gives a key to each letter that the keyboard of the device has not: programs must have read that before it is pressed. */
const rare_key_ms = 30

/** Whether a keyboard of a device, which is taken for an American one, may have to be given the key first. */
export const isRareKey = (keysym: number): boolean => keysym > 0x7e && (keysym < 0xff_00 || keysym > 0xff_ff)

/** Does one thing after another, in the order in which they were asked for, and rests after what needs it. */
export class Typist {
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  /** Resolves when it is done. What nothing stands before is done at once. */
  do(step: () => void, is_rare: boolean): Promise<void> {
    if (this.#waiting === 0 && !is_rare) {
      step()
      return this.#last
    }
    this.#waiting += 1
    const run = async () => {
      step()
      if (is_rare) await new Promise((resolve) => setTimeout(resolve, rare_key_ms))
      this.#waiting -= 1
    }
    return (this.#last = this.#last.then(run))
  }
}

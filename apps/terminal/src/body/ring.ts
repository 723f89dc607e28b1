import { wait } from '@mdm/agent/clock.ts'
import type { Clock } from '@mdm/agent/clock.ts'

const beat_ms = 900
const tones = [880, 1174]

/** The bell of the page. Browsers let it sound once somebody has touched the page. */
export function openBell(clock: Clock) {
  let context: AudioContext | undefined
  const ready = (): AudioContext | undefined => {
    if (typeof AudioContext === 'undefined') return undefined
    context ??= new AudioContext()
    return context
  }

  function beat(on: AudioContext): void {
    tones.forEach((frequency, index) => {
      const at = on.currentTime + index * 0.35
      const [tone, gain] = [on.createOscillator(), on.createGain()]
      tone.type = 'square'
      tone.frequency.value = frequency
      gain.gain.setValueAtTime(0.0001, at)
      gain.gain.exponentialRampToValueAtTime(0.6, at + 0.02)
      gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.3)
      tone.connect(gain).connect(on.destination)
      tone.start(at)
      tone.stop(at + 0.32)
    })
  }
  return {
    /** Of a touch: what the browser waits for. */
    async touch(): Promise<void> {
      await ready()?.resume()
    },
    get is_audible(): boolean {
      return context?.state === 'running'
    },
    /** Rings until then, or until the signal; says whether it could be heard. */
    async ring(seconds: number, signal: AbortSignal): Promise<boolean> {
      const on = ready()
      // Not waited for: without a touch it does not resume until there is one.
      void on?.resume().catch(() => undefined)
      let was_heard = false
      for (let left_ms = seconds * 1000; left_ms > 0; left_ms -= beat_ms) {
        if (on?.state === 'running') {
          was_heard = true
          beat(on)
        }
        navigator.vibrate?.([300, 100, 300])
        await wait(clock, Math.min(beat_ms, left_ms), signal)
      }
      return was_heard
    },
  }
}
export type Bell = ReturnType<typeof openBell>

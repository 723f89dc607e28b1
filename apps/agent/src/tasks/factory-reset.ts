import type { TaskKind } from './kind.ts'

/** Done when the machine has booted again; never started twice: what people have put on it since would be lost. */
export const factory_reset: TaskKind<'factory_reset'> = {
  what: 'erase this device',
  can_repeat: false,
  async execute(_payload, { body, undone, signal }) {
    const { keep } = await undone()
    try {
      return await body.factory_reset(signal)
    } catch (error) {
      keep()
      throw error
    }
  },
  interrupted: (before, now) => (before.boot_id === now.boot_id ? undefined : { text: 'Reset to factory settings' }),
}

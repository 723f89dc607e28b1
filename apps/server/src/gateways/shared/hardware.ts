import type { Deps } from '../../deps.ts'

/** By what the device will be known when it was reset, which its agent may tell, or change, after it has joined. */
export async function noteHardware({ db }: Deps, kid: string, hardware_hash: string): Promise<void> {
  await db
    .updateTable('terminal_agent as own')
    .set({ hardware_hash })
    .where('own.terminal_kid', '=', kid)
    // Of two that say the same id the first has it.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('terminal_agent as other')
            .select('other.terminal_kid')
            .whereRef('other.account_kid', '=', 'own.account_kid')
            .where('other.hardware_hash', '=', hardware_hash),
        ),
      ),
    )
    .execute()
    .catch((error: { constraint?: string }) => {
      if (error.constraint !== 'terminal_agent_hardware') throw error
    })
}

import type { Body, Landing } from '../body/body.ts'
import { noSpace } from '../body/failures.ts'

/**
 * Whether there is room for all of these files, before the first one takes any. What is there of them already counts as
 * taken. Throws `no_space`.
 */
export async function assertRoom(
  body: Body,
  files: readonly { size: number }[],
  land: (index: number) => Promise<Landing>,
): Promise<void> {
  // One alone is judged when it lands.
  if (files.length < 2) return
  let needed = 0
  for (const [index, { size }] of files.entries()) {
    const landing = await land(index)
    needed += Math.max(0, size - landing.position)
    await landing.close()
  }
  const room = await body.room()
  if (needed > room) throw noSpace(`${files.length} files`, needed, room)
}

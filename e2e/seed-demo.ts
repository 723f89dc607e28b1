import { rm } from 'node:fs/promises'
import { demoFolder, startDemo } from './own-demo.ts'

/** Makes, once for a run, the folder that every demo of the run begins with: seeded, all devices registered, at rest. */
export default async function seedDemo(): Promise<() => Promise<void>> {
  const seed = await demoFolder()
  const erase = () => rm(seed, { recursive: true, force: true })
  try {
    const { end } = await startDemo(seed)
    await end()
  } catch (error) {
    await erase()
    throw error
  }
  // Workers inherit it.
  process.env['E2E_SEED'] = seed
  return erase
}

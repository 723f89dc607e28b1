import type { ReportedState } from '@mdm/device-link'
import type { OsWork } from '../shared/os-work.ts'

/** An attempt of a push as the agent sees it: by a number. */
export type Action = Pick<OsWork, 'file' | 'build'> & {
  id: number
  task_kid: string
  attempt: number
  /** `offered` until the agent has read what it is. */
  state: 'offered' | ReportedState
  window?: { from: string; to: string; days?: readonly number[] | undefined }
  /** What the user is asked, as long as the agent has not said that the user agrees. */
  asks?: 'download_prompt' | 'install_prompt'
  cancel?: 'asked' | 'refused'
}
export type Kept = {
  actions: Action[]
  /** What it has not read. Such an action comes again with each visit for as long as it is owed, and keeps its number. */
  offered: Action[]
  last_id: number
  attributes: Record<string, string>
  attributes_at?: number
  user_agent?: string
  /** What it was last updated to, which its attributes do not say until they change. */
  build?: Action['build']
  /** What it was last updated to, as it was offered. */
  installed?: Action
  hello?: string
}
export const fresh: Kept = { actions: [], offered: [], last_id: 0, attributes: {} }

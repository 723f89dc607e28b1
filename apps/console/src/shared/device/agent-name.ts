import { agentOf } from '@mdm/contract'
import type { TerminalRow } from '@mdm/contract'

/** Version of the agent, behind its name where others wrote it. */
export const agentName = ({
  agent_kind,
  service_version,
}: Pick<TerminalRow, 'agent_kind' | 'service_version'>): string =>
  [agentOf(agent_kind)?.name, service_version].filter(Boolean).join(' ')

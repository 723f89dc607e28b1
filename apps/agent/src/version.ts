/** What it was built as. */
declare const MDM_AGENT_BUILT_AS: string | undefined
/** Of every agent that is made of this core. */
export const agentVersion = typeof MDM_AGENT_BUILT_AS === 'string' ? MDM_AGENT_BUILT_AS : '0.1.0'
/** Of packages/device-link. */
export const protocolVersion = 1

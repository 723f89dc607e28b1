export const user = 'mdm-agent'
export const settings_path = '/etc/mdm-agent/agent.json'
export const data_path = '/var/lib/mdm-agent'
/** Of pushed versions of the agent itself. */
export const slotsOf = (data: string): string => `${data}/agent`
export const socket_path = '/run/mdm-agent-helper.sock'

type UnitsOf = {
  program: string
  /** Folders beside that of the agent's data. */
  writable: readonly string[]
  has_notify: boolean
  /** Of versions of the agent, where the program looks for them. */
  slots?: string | undefined
}

/**
 * The agent talks to the network, reads what strangers send, and has no rights; the helper has those of root, no network of its own to
 * listen to, and takes a short list of work from the agent's group alone. Apps that the agent has started outlive its restart.
 */
const agentUnit = ({ program, writable, has_notify, slots }: UnitsOf) => `[Unit]
Description=Agent of the mobile device management
Wants=network-online.target mdm-agent-helper.socket
After=network-online.target mdm-agent-helper.socket
StartLimitIntervalSec=0

[Service]
${has_notify ? 'Type=notify\nNotifyAccess=all\nWatchdogSec=180' : 'Type=exec'}
User=${user}
Group=${user}
SupplementaryGroups=systemd-journal
${slots === undefined ? '' : `Environment=MDM_AGENT_SLOTS=${slots}\n`}ExecStart=${program} agent --settings ${settings_path}
Restart=always
RestartSec=5
TimeoutStopSec=20
KillMode=process
StateDirectory=mdm-agent
StateDirectoryMode=0700
WorkingDirectory=${data_path}
UMask=0077
MemoryMax=512M
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
${writable.map((path) => `ReadWritePaths=-${path}\n`).join('')}ProtectHome=read-only
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
LockPersonality=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`

const helperSocket = `[Unit]
Description=Work that the agent of the mobile device management asks of root

[Socket]
ListenStream=${socket_path}
SocketUser=root
SocketGroup=${user}
SocketMode=0660

[Install]
WantedBy=sockets.target
`

/** Scripts of packages may do all that root may, so there is little to take from it. It ends by itself when it has nothing to do. */
const helperUnit = (program: string) => `[Unit]
Description=Work that the agent of the mobile device management asks of root
After=mdm-agent-helper.socket
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${program} helper --settings ${settings_path}
StateDirectory=mdm-agent-helper
StateDirectoryMode=0755
KillMode=mixed
TimeoutStopSec=1800
ProtectHostname=yes
RestrictRealtime=yes
SystemCallArchitectures=native
`

/** The files of systemd by their paths. */
export const unitFiles = (of: UnitsOf) => ({
  '/etc/systemd/system/mdm-agent.service': agentUnit(of),
  '/etc/systemd/system/mdm-agent-helper.socket': helperSocket,
  '/etc/systemd/system/mdm-agent-helper.service': helperUnit(of.program),
  '/etc/sysusers.d/mdm-agent.conf': `u ${user} - "Agent of the mobile device management" ${data_path}\n`,
})
/** What makes them start with the machine. */
export const unitLinks = {
  '/etc/systemd/system/multi-user.target.wants/mdm-agent.service': '/etc/systemd/system/mdm-agent.service',
  '/etc/systemd/system/sockets.target.wants/mdm-agent-helper.socket': '/etc/systemd/system/mdm-agent-helper.socket',
}

export const user = 'mdm'
export const settings_path = '/etc/mdm/mdm.env'
export const data_path = '/var/lib/mdm'
export const program_path = '/usr/local/bin/mdm'

/** It reads what strangers send and has no right beyond listening on ports 80 and 443. W^X is left to V8, which compiles while it runs. */
const serverUnit = `[Unit]
Description=Mobile device management
Wants=network-online.target
After=network-online.target postgresql.service mosquitto.service
StartLimitIntervalSec=0

[Service]
Type=exec
User=${user}
Group=${user}
ExecStart=${program_path} start --env ${settings_path}
Restart=always
RestartSec=5
TimeoutStopSec=30
KillMode=mixed
StateDirectory=mdm
StateDirectoryMode=0700
WorkingDirectory=${data_path}
UMask=0077
LimitNOFILE=65536
NoNewPrivileges=yes
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_BIND_SERVICE
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
LockPersonality=yes
RemoveIPC=yes
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

/** The files of systemd by their paths. */
export const unitFiles = () => ({
  '/etc/systemd/system/mdm.service': serverUnit,
  '/etc/sysusers.d/mdm.conf': `u ${user} - "Mobile device management" ${data_path}\n`,
})
/** What makes it start with the machine. */
export const unitLinks = {
  '/etc/systemd/system/multi-user.target.wants/mdm.service': '/etc/systemd/system/mdm.service',
}

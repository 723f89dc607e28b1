/** In /etc/swupdate.cfg; what stands in capitals is the device's own. */
export const swupdateConfig = (server: string, token: string): string => `suricatta: {
  url = "${server}";
  tenant = "default";
  id = "SERIAL";
  gatewaytoken = "${token}";
};
identify: (
  { name = "uid"; value = "UID"; },
  { name = "os_version"; value = "OS VERSION"; }
);`

/** In /etc/rauc-hawkbit-updater/config.conf; it wants the host alone. */
export const raucConfig = (server: string, token: string): string => `[client]
hawkbit_server = ${new URL(server).host}
ssl = ${server.startsWith('https:')}
tenant_id = default
target_name = SERIAL
gateway_token = ${token}
bundle_download_location = /var/tmp/bundle.raucb

[device]
uid = UID
os_version = OS VERSION`

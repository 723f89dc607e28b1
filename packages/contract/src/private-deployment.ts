/** What a private deployment is configured with: files that devices and consoles read. */
export const propertiesFile = 'mdm.properties'
export const urlFile = 'url.json'

/** The file that an agent reads its server from: a properties file with the key `host`. */
export const propertiesOf = (address: string): string =>
  `# Address of the server. Agents read it at their start.\nhost=${address.replaceAll('\\', '\\\\')}\n`
/** The file that a console reads at its start; empty is the address under which it was opened. */
export const urlJsonOf = (address: string): string => `${JSON.stringify({ base_url: address })}\n`

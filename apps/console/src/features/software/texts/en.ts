/** What is installed over the fleet. */
export const texts = {
  search: 'Package or app',
  empty: 'No software reported yet',
  empty_hint: 'Devices say what they have when they connect.',
  versions_of: 'All versions of {{name}}',
  bring_up: 'Push the newest version to these',
  column: { package: 'Package', app: 'App center', version: 'Version', behind: 'Standing', devices: 'Devices' },
  filter: {
    behind: 'Below the newest',
    not_behind: 'Not below',
    managed: 'In the app center',
    other: 'Not in the app center',
  },
}

export const texts = {
  search: 'Name, organization, login',
  empty: 'No sub-accounts yet',
  empty_hint: 'A sub-account has its own devices and people and takes a share of the devices of this account.',
  add: 'Create sub-account',
  added: 'Sub-account created',
  edit_title: 'Edit {{name}}',
  save: 'Save sub-account',
  saved: 'Sub-account saved',
  column: {
    name: 'Sub-account',
  },
  section: {
    account: 'Sub-account',
    limits_hint:
      'Its share of the devices and the disk space of this account. It ends at the latest when this account does.',
    permissions_hint:
      'What the administrator of the sub-account holds, and so the most that any of its people can be given.',
  },
  form: {
    name: 'Name',
    expires_hint: 'Leave it empty to end together with this account.',
  },
  places: {
    left: '{{left}} left after this; {{most}} at most.',
    endless: 'This account has no limit.',
    in_use_one: '{{shown}} is in use.',
    in_use_other: '{{shown}} are in use.',
    beyond: 'This account has only {{shown}} left.',
    below_use: 'At least {{shown}}: as many are in use.',
    unknown: 'What is left cannot be read now; it is checked when you save.',
  },
  disable_what: 'Everybody of this account is signed out and can no longer sign in.',
  disable_devices_one: '{{shown}} device stays registered.',
  disable_devices_other: '{{shown}} devices stay registered.',
  delete: {
    title: 'Delete {{name}}?',
    submit: 'Delete {{name}}',
    done: '{{name}} is deleted',
    what: 'The account, its roles and its login {{username}} are gone for good. Its share of devices comes back to this account.',
    has_devices_one: 'it has {{shown}} device',
    has_devices_other: 'it has {{shown}} devices',
  },
}

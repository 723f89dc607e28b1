export const texts = {
  search: 'Name, organization, login',
  empty: 'No customers yet',
  empty_hint: 'Create the first customer: it gets a login, a number of devices and an end.',
  add: 'Create customer',
  added: 'Customer created',
  edit_title: 'Edit {{name}}',
  save: 'Save customer',
  saved: 'Customer saved',
  column: {
    name: 'Customer',
    users: 'User accounts',
    fae: 'Technical support',
  },
  filter: {
    expires: 'Expires within (days)',
  },
  users_of: 'User accounts of {{name}}',
  in_use_one: '{{shown}} is in use.',
  in_use_other: '{{shown}} are in use.',
  below_use: 'At least {{shown}}: as many are in use.',
  section: {
    customer: 'Customer',
    limits_hint: 'How much, and until when. Sub-accounts share the devices.',
    permissions_hint:
      'What the administrator of the customer holds, and so the most that any of its people can be given.',
  },
  form: {
    name: 'Name',
    fae_hint: "Who of the provider's people looks after this customer.",
    fae_none: 'Nobody',
    expires_hint: 'Afterwards nobody of the account can sign in. Leave it empty for no end.',
    sub_accounts: 'Sub-accounts',
    sub_accounts_hint: 'May create accounts below its own that take a share of its devices.',
  },
  enter: {
    button: 'Enter',
    button_of: 'Enter {{name}}',
    title: 'Enter {{name}}?',
    submit: 'Enter {{name}}',
    what: 'Everything you do from then on is done in the account {{name}} and recorded with your name, until you return.',
  },
  why_not: {
    invalid: 'The account, or the one above it, is disabled.',
    expired: 'The account, or the one above it, has expired.',
    other: 'The account cannot be entered now.',
  },
  register: 'Register devices from a spreadsheet',
  renew: {
    action: 'Renew',
    title: 'Renew {{name}}',
    submit: 'Renew',
    done: '{{name}} is renewed',
    now: 'Now valid until',
    until: 'Renew until',
    date: 'A date of its own',
    date_needed: 'Choose the date.',
  },
  disable: {
    people_one:
      '{{shown}} user account is signed out and can no longer sign in; nor can its administrator or its sub-accounts.',
    people_other:
      '{{shown}} user accounts are signed out and can no longer sign in; nor can its administrator or its sub-accounts.',
    devices_one:
      '{{shown}} device stays registered, but nobody can see or reach it until the account is enabled again.',
    devices_other:
      '{{shown}} devices stay registered, but nobody can see or reach them until the account is enabled again.',
  },
  totp: {
    action: 'Switch off two-factor sign-in',
    title: 'Switch off two-factor sign-in of {{username}}?',
    submit: 'Switch it off',
    done: '{{username}} signs in with the password alone',
    what: 'Use it when the administrator of {{name}} has lost the phone and the recovery codes. Until two-factor sign-in is set up again, the password of {{username}} is enough to sign in. Make sure who is asking.',
  },
  space: {
    action: 'Disk space',
    title: 'Disk space of {{name}}',
    submit: 'Save disk space',
    done: 'Disk space of {{name}} saved',
  },
}

const modules = {
  'app-center/apps.ts': 'apps of the accounts that an account inherits from are read beside its own, which are named',
  'app-center/categories.ts': 'categories of the accounts that an account inherits from are read beside its own',
  'app-center/dependencies.ts': 'an app may need one that is inherited from another account',
  'app-center/installed.ts': 'an inherited app is another account’s, and the provider counts the devices of all',
  'app-center/library.ts': 'what an account sees is of several; an upload may be of another account than its app',
  'app-center/versions.ts': 'versions of inherited apps are read, and their downloads counted, for who inherits them',
  'account/bootstrap.ts': 'makes the provider, before there is anybody to act for',
  'account/preferences.ts': 'rows of the person, whichever account is acted for',
  'account/service.ts': 'makes accounts and people; rows of the person, whichever account is acted for',
  'account/sessions.ts': 'sessions of the person, whichever account is acted for',
  'account/two-factor.ts': 'the sign-in of the person, whichever account is acted for',
  'api-token/service.ts': 'tokens of the person, whichever account is acted for',
  'customer/accounts.ts': 'accounts and what is below them, for the provider and for who has sub-accounts',
  'customer/list.ts': 'the provider lists all accounts',
  'customer/service.ts': 'the provider looks after all accounts',
  'disk-space/report.ts': 'the provider reports on all accounts',
  'enrolment/announcements.ts': 'a device that announces itself is nobody’s yet',
  'enrolment/apks.ts': 'a job removes what accounts that are gone left behind',
  'enrolment/batch.ts': 'announced devices are nobody’s yet',
  'enrolment/enrol.ts': 'a device that enrols says whose it is by its claim or code',
  'enrolment/qrcodes.ts': 'the quota counts a whole family of accounts',
  'enrolment/registration.ts': 'an SN is unique over all accounts, and the quota counts a family of them',
  'enrolment/renewal.ts': 'a device that gets a new secret announces itself as nobody’s',
  'enrolment/service.ts': 'a job removes what has expired, of all accounts',
  'file-cloud/service.ts': 'bytes stay while a file of any account refers to them',
  'list-export/service.ts': 'an address holds a secret, which says whose the export is',
  'login/lockout.ts': 'sign-in: failures by name and address',
  'login/oidc.ts': 'sign-in: an identity says whose it is',
  'login/own-password.ts': 'the password of the person, whichever account is acted for',
  'login/puzzle.ts': 'sign-in: puzzles are nobody’s',
  'login/service.ts': 'sign-in: sessions of the person, whichever account is acted for',
  'login/sign-in.ts': 'sign-in',
  'login/steps.ts': 'sign-in: a token says whose the step is',
  'login/totp.ts': 'sign-in',
  'login/users.ts': 'sign-in: a name says who it is',
  'menu-tree/edit.ts': 'the provider edits the one menu, whose table is locked by raw SQL',
  'menu-tree/service.ts': 'fills the one menu at the start',
  'operation-log/service.ts': 'the log is the provider’s as well as the accounts’: it names the account itself',
  'ops-home/service.ts': 'the provider sees all accounts at a glance',
  'ops-terminal/scrapped.ts': 'the provider restores SNs of all accounts',
  'ops-terminal/service.ts': 'the provider finds devices of all accounts',
  'os-uid/service.ts': 'UIDs are the provider’s, and devices of all accounts report them',
  'policy/service.ts': 'policies are the provider’s',
  'policy/terminals.ts': 'policies are the provider’s, their devices those of all accounts',
  'push-task/control.ts': 'what is selected over two tables is raw SQL, which names the account itself',
  'push-task/insert.ts': 'the transaction works with raw SQL, which names the account itself',
  'quota/service.ts': 'the quota counts a whole family of accounts',
  'sub-account/remove.ts': 'a sub-account is another tenant than the account that removes it',
  'sub-account/service.ts': 'sub-accounts are other tenants than the account above: it is named as their parent',
  'terminal/overview.ts': 'a job counts who is online, of all accounts',
  'terminal/removal.ts': 'an SN is of all accounts, and tasks of devices end by raw SQL',
  'terminal/scrap-work.ts': 'a worker takes what is due, of all accounts',
  'terminal-app/service.ts': 'raw SQL by the device that answered',
  'terminal-batch/jobs.ts': 'what the provider asked for is about devices of others; a job ends and removes old ones',
  'terminal-batch/preview.ts': 'an SN is unique over all accounts, and the quota counts a family of them',
  'terminal-batch/work.ts': 'a worker takes what waits, of all accounts',
  'terminal-export/jobs.ts': 'a job removes files after their time, of all accounts',
  'terminal-export/work.ts': 'a worker takes what waits, of all accounts',
  'terminal-file/last-report.ts': 'raw SQL by the device that answered; a job removes old ones',
  'terminal-file/upkeep.ts': 'a job ends and removes transfers of all accounts',
  'terminal-location/position.ts': 'where a device says that it is is kept by the device link',
  'user-account/service.ts': 'login names, addresses and numbers are unique over all accounts',
  'webhook/messages.ts': 'a date came for an account: nobody acts',
  'webhook/queue.ts': 'an operation of any account is heard by its webhooks and the provider’s',
  'webhook/sender.ts': 'a worker takes what is due, of all accounts',
} as const

const http = {
  'health.ts': 'asks whether the database answers',
  'live/groups.ts': 'passes it on to the session that it looks up',
  'live/hub.ts': 'passes it on to live/groups.ts and live/sessions.ts',
  'live/sessions.ts': 'looks which sessions of all accounts still hold',
  'operation-log.ts': 'writes down calls of all accounts and of nobody',
  'session-row.ts': 'a token says who calls',
  'session.ts': 'a session says for which account the call is',
} as const

const under = (folder: string, files: Record<string, string>) =>
  Object.entries(files).map(([file, reason]) => [`apps/server/src/${folder}/${file}`, reason] as const)

/** The files of modules/ and http/ that may use `deps.db`, which is all accounts' rows, and why no scope will do. */
export const unscopedFiles: ReadonlyMap<string, string> = new Map([
  ...under('http', http),
  ...under('modules', modules),
])

const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm
/** `deps.db`, `Deps['db']`, `Pick<Deps, 'db'>`, and `{ db }` of deps, renamed or not. */
const use = /\.db\b|'db'|\.kysely\b|\{[^{}();]*(?<![.\w])db\s*[,:}]/

export const usesUnscoped = (source: string): boolean => use.test(source.replace(comments, ''))

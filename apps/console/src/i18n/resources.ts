// oxlint-disable typescript/consistent-type-imports -- an import of its own for every line of the table would double it
/** The English catalogues are the shape of all, each under the name of its folder. A new catalogue is one line here. */
export type Resources = {
  common: typeof import('./common/texts/en.ts').texts
  shell: typeof import('../shell/texts/en.ts').texts
  'app-requirement': typeof import('../features/app-requirement/texts/en.ts').texts
  software: typeof import('../features/software/texts/en.ts').texts
  'app-center': typeof import('../features/app-center/texts/en.ts').texts
  'api-authorisation': typeof import('../features/api-authorisation/texts/en.ts').texts
  'account-info': typeof import('../features/account-info/texts/en.ts').texts
  accounts: typeof import('../shared/accounts/texts/en.ts').texts
  'content-report': typeof import('../features/content-report/texts/en.ts').texts
  device: typeof import('../shared/device/texts/en.ts').texts
  'device-batch': typeof import('../shared/device-batch/texts/en.ts').texts
  configure: typeof import('../features/configure/texts/en.ts').texts
  'config-file': typeof import('../features/config-file/texts/en.ts').texts
  'configure/edit': typeof import('../features/configure/edit/texts/en.ts').texts
  'device-event': typeof import('../shared/device-event/texts/en.ts').texts
  'device-detail': typeof import('../features/device-detail/texts/en.ts').texts
  'device-detail/files': typeof import('../features/device-detail/files/texts/en.ts').texts
  'device-detail/telemetry': typeof import('../features/device-detail/telemetry/texts/en.ts').texts
  'device-filters': typeof import('../shared/device-filters/texts/en.ts').texts
  'device-scrap': typeof import('../shared/device-scrap/texts/en.ts').texts
  devices: typeof import('../features/devices/texts/en.ts').texts
  'devices-picker': typeof import('../shared/devices-picker/texts/en.ts').texts
  'devices/enrolment': typeof import('../features/devices/enrolment/texts/en.ts').texts
  'devices/export': typeof import('../features/devices/export/texts/en.ts').texts
  alert: typeof import('../features/alert/texts/en.ts').texts
  'electronic-fence': typeof import('../features/electronic-fence/texts/en.ts').texts
  customer: typeof import('../features/customer/texts/en.ts').texts
  'file-cloud': typeof import('../features/file-cloud/texts/en.ts').texts
  istage: typeof import('../features/istage/texts/en.ts').texts
  home: typeof import('../features/home/texts/en.ts').texts
  'server-status': typeof import('../features/server-status/texts/en.ts').texts
  'istage/codes': typeof import('../features/istage/codes/texts/en.ts').texts
  map: typeof import('../map/texts/en.ts').texts
  'menu-tree': typeof import('../features/menu-tree/texts/en.ts').texts
  'operation-log': typeof import('../features/operation-log/texts/en.ts').texts
  'os-information': typeof import('../features/os-information/texts/en.ts').texts
  'os-uid': typeof import('../features/os-uid/texts/en.ts').texts
  'os-offline': typeof import('../shared/os-offline/texts/en.ts').texts
  'os-push': typeof import('../features/os-push/texts/en.ts').texts
  'os-version': typeof import('../features/os-version/texts/en.ts').texts
  'operation-task': typeof import('../features/operation-task/texts/en.ts').texts
  'os-custom': typeof import('../features/os-custom/texts/en.ts').texts
  'oscs-base': typeof import('../features/oscs-base/texts/en.ts').texts
  'user-account': typeof import('../features/user-account/texts/en.ts').texts
  'permission-tree': typeof import('../shared/permission-tree/texts/en.ts').texts
  policy: typeof import('../features/policy/texts/en.ts').texts
  'private-deployment': typeof import('../features/private-deployment/texts/en.ts').texts
  push: typeof import('../shared/push/texts/en.ts').texts
  'push-task': typeof import('../features/push-task/texts/en.ts').texts
  'push-task/task': typeof import('../features/push-task/task/texts/en.ts').texts
  'push/watch': typeof import('../shared/push/watch/texts/en.ts').texts
  'push-task/wizard': typeof import('../features/push-task/wizard/texts/en.ts').texts
  'user-role': typeof import('../features/user-role/texts/en.ts').texts
  remote: typeof import('../features/remote/texts/en.ts').texts
  search: typeof import('../features/search/texts/en.ts').texts
  'sign-in': typeof import('../features/sign-in/texts/en.ts').texts
  'sub-account': typeof import('../features/sub-account/texts/en.ts').texts
  'ui/list/report': typeof import('../ui/list/report/texts/en.ts').texts
  upload: typeof import('../shared/upload/texts/en.ts').texts
  'maintenance-window': typeof import('../features/maintenance-window/texts/en.ts').texts
  windows: typeof import('../shared/windows/texts/en.ts').texts
  webhook: typeof import('../features/webhook/texts/en.ts').texts
}
export type Namespace = keyof Resources
export type Texts = { readonly [key: string]: string | Texts }

/**
 * A translation has every key of the English catalogue. Of plurals (`rows_one`, `rows_other`) Vietnamese and
 * Chinese have `_other` only.
 */
export type Translated<T> = {
  readonly [K in keyof T as K extends `${string}_one` ? never : K]: T[K] extends string ? string : Translated<T[K]>
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: Resources
  }
}

import type { ComponentType } from 'react'
import type { AppSide } from '../features/app-center/sides.ts'
import type { Namespace } from '../i18n/resources.ts'
import type { Route } from './routes.ts'

type SidePage = ComponentType<{ side: AppSide }>

/** The pages of an app center: an account's own, or the provider's. */
export function appRoutes(side: AppSide) {
  const of = (load: () => Promise<SidePage>, texts: readonly Namespace[] = []): Route => ({
    texts: ['app-center', 'accounts', ...texts],
    page: async () => {
      const Page = await load()
      return { default: () => <Page side={side} /> }
    },
  })
  return {
    list: of(async () => (await import('../features/app-center/Apps.tsx')).Apps),
    add: of(async () => (await import('../features/app-center/form/AppAdd.tsx')).AppAdd),
    details: of(
      async () => (await import('../features/app-center/AppView.tsx')).AppView,
      // Permissions are a section of the configuration.
      side === 'account' ? ['device', 'configure', 'configure/edit', 'app-requirement'] : [],
    ),
    edit: of(async () => (await import('../features/app-center/form/AppEdit.tsx')).AppEdit),
    addVersion: of(
      async () => (await import('../features/app-center/versions/VersionAdd.tsx')).VersionAdd,
      side === 'account' ? ['app-requirement'] : [],
    ),
    editVersion: of(async () => (await import('../features/app-center/versions/VersionEdit.tsx')).VersionEdit),
  }
}

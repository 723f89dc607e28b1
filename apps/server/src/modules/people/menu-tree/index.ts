export { ensureMenus } from './service.ts'

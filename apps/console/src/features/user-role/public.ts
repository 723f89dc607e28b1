export { RolePicker } from './RolePicker.tsx'
export { RolesPage } from './RolesPage.tsx'
export { useRoleChoices } from './sides.ts'

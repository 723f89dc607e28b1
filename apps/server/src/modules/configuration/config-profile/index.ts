export { profileMembers } from './members.ts'

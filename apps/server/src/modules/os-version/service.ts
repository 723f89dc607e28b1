export { noteDay } from './fleet.ts'
export { wakePackages } from './package-work.ts'
export { wakeCancelling } from './releases.ts'

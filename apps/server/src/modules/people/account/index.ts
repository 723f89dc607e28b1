export { resetPassword } from './reset-password.ts'
export { disableTotp } from './two-factor.ts'
export { belonging, contactTaken, createAccount, createRole, createUser } from './service.ts'

export { pkcs12, pkcs12_password } from '@mdm/server/testing/pkcs12.ts'

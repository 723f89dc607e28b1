export { dropOldMails, mails } from './mail-worker.ts'
export { queueMail } from './queue-mail.ts'

export const texts = {
  title: 'Take OS {{version}} offline?',
  what: 'Nobody can push it any more. Devices that run it keep it.',
  nobody: 'Nobody is pushing it.',
  choice: 'What happens to these pushes',
  cancel_tasks: 'Cancel all these pushes',
  only: 'Let these pushes go on',
  submit: 'Take offline',
  submit_cancel: 'Cancel pushes and take offline',
  done: 'OS version is offline',
}

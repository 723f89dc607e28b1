export const texts = { title: 'Push tasks' }

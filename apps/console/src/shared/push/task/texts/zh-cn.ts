export const texts = { title: '推送任务' }

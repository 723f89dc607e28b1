export const texts = { title: 'Tác vụ đẩy' }

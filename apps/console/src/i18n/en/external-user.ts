export const texts = {
  title: 'External users',
}

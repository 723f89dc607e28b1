export const texts = {
  title: 'File cloud',
}

export const texts = {
  title: 'Operation log',
}

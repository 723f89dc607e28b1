export const texts = {
  title: 'Customer codes',
}

/** Pushes that are being created. */
export const texts = {
  creating: 'Creating a push: {{name}}',
  counts: '{{done}} of {{total}} devices',
  created_one: 'Push created for {{shown}} device: {{name}}',
  created_other: 'Push created for {{shown}} devices: {{name}}',
  left_out_one: '{{shown}} device was left out.',
  left_out_other: '{{shown}} devices were left out.',
  canceled: 'Push canceled: {{name}}',
}

export const texts = {
  choose: 'Choose file',
  choose_other: 'Choose another file',
  none: 'No file chosen',
  sending: 'Uploading {{name}}',
}

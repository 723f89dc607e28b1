export const texts = {
  any: 'At any time',
  own: 'Between set hours',
  from: 'From',
  to: 'To',
  days: 'Days',
  choose: 'Choose a maintenance window',
  none: 'No maintenance windows yet: make one under Push tasks, Maintenance windows',
}

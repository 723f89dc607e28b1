/** A small server that searches for places, for whoever stands on the testbed. */
export { startGeocoder } from '@mdm/server/testing/geocoder.ts'

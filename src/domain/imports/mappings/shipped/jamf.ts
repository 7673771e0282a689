import { type ShippedMapping, wordsFor } from './shipped-mapping.ts'

/** Jamf Pro: an inventory search of computers or mobile devices as CSV. */
export const jamf: ShippedMapping = {
  name: 'jamf',
  map: {
    'Computer Name': 'name',
    'Display Name': 'name',
    'Device Name': 'name',
    'Mobile Device Name': 'name',
    'Serial Number': 'serial_number',
    Make: 'manufacturer',
    Manufacturer: 'manufacturer',
    Model: 'model',
    'Asset Tag': 'asset_tag',
    'Email Address': 'employee_email',
    Username: '',
    'Full Name': '',
    'Phone Number': '',
    Position: '',
    Department: '',
    Building: '',
    Room: '',
    'PO Date': 'purchase_date',
    'Warranty Expiration': 'warranty_end',
    'Purchase Price': 'purchase_cost',
    'Device Type': 'hardware.type',
  },
  match: 'serial_number',
  value: { 'Device Type': wordsFor({ phone: ['iPhone'], tablet: ['iPad'], other: ['Apple TV', 'iPod touch'] }) },
}

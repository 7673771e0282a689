import type { ShippedMapping } from './shipped-mapping.ts'

/** Microsoft Intune: the export of *All devices*. Intune does not know when a device was bought, so the day on which it
 *  was enrolled becomes the purchase date. */
export const intune: ShippedMapping = {
  name: 'intune',
  map: {
    'Device name': 'hardware.name',
    'Enrollment date': 'purchase_date',
    'Serial number': 'serial_number',
    Manufacturer: 'manufacturer',
    Model: 'model',
    'Primary user UPN': 'employee_email',
    'User principal name': 'employee_email',
    UPN: 'employee_email',
    'Primary user email address': '',
    'Primary user display name': '',
    'User email': '',
    'User display name': '',
    'Phone number': '',
    Category: '',
    'Device state': '',
    OS: '',
  },
  match: 'serial_number',
  value: {},
}

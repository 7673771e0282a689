import { type ShippedMapping, wordsFor } from './shipped-mapping.ts'

/** Google Workspace: *Download users*, and the export of ChromeOS devices. The day on which a device was enrolled becomes
 *  its purchase date. */
export const googleWorkspace: ShippedMapping = {
  name: 'google-workspace',
  map: {
    // Users
    'First Name [Required]': 'employees.name',
    'Last Name [Required]': 'employees.name',
    'Email Address [Required]': 'email',
    'Status [READ ONLY]': 'is_active',
    'New Primary Email [UPLOAD ONLY]': '',
    'New Status [UPLOAD ONLY]': '',
    'Recovery Email': '',
    'Home Secondary Email': '',
    'Work Secondary Email': '',
    'Work Phone': 'phone',
    'Home Phone': '',
    'Mobile Phone': '',
    'Work Address': '',
    'Home Address': '',
    'Employee ID': 'employee_no',
    'Employee Title': 'title',
    'Manager Email': '',
    Department: 'department',
    // ChromeOS devices
    deviceId: '',
    serialNumber: 'serial_number',
    model: 'model',
    enrollmentTime: 'purchase_date',
    provisionStatus: 'hardware.status',
    annotatedAssetId: 'asset_tag',
    annotatedUser: 'employee_email',
    annotatedLocation: 'hardware.notes',
    annotatedNotes: 'hardware.notes',
    mostRecentUser: '',
    manufacturingDate: '',
  },
  match: 'employees.email, hardware.serial_number',
  value: {
    'Status [READ ONLY]': wordsFor({ yes: ['Active'], no: ['Suspended', 'Archived'] }),
    provisionStatus: wordsFor({
      in_use: ['Provisioned', 'Active'],
      spare: ['Pending', 'Pre-provisioned', 'Pre Provisioned'],
      retired: ['Deprovisioned', 'Disabled'],
    }),
  },
}

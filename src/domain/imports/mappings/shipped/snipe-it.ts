import { type ShippedMapping, wordsFor } from './shipped-mapping.ts'

/** The words for a status label with what Snipe-IT says about it: reports put it in brackets, and lists only say that a
 *  person has the asset. Labels that a desk has added are not known. */
function statusWords(label: string, states: readonly string[] = ['Deployable', 'Pending', 'Undeployable', 'Archived']) {
  return [label, ...states.map((state) => `${label} (${state})`)]
}

function deployed(label: string): string[] {
  return [`${label} (Deployed)`, `${label} Deployed`]
}

/** Snipe-IT: the Custom Asset Report, and the lists of assets, people and locations as CSV. The person who has an asset
 *  is found by employee number if there is one, and otherwise by name. Assets that nobody has go into the stock of their
 *  location. */
export const snipeIt: ShippedMapping = {
  name: 'snipe-it',
  map: {
    ID: 'hardware.external_id, customers.external_id',
    Username: 'employees.external_id',
    // Assets
    'Asset Name': 'hardware.name',
    'Asset Tag': 'asset_tag',
    Serial: 'serial_number',
    Manufacturer: 'manufacturer',
    Model: 'model',
    'Model No.': '',
    Category: 'hardware.type',
    Type: '', // of what the asset is checked out to
    Status: 'hardware.status',
    Purchased: 'purchase_date',
    'Purchase Date': 'purchase_date',
    Cost: 'purchase_cost',
    'Purchase Cost': 'purchase_cost',
    'Warranty Expires': 'warranty_end',
    'Expected Checkin Date': 'due_back',
    'Checked Out': 'employee',
    'Checked Out To': 'employee',
    Notes: 'notes',
    // People
    Name: 'name',
    'First Name': 'employees.name',
    'Last Name': 'employees.name',
    Email: 'email',
    'Employee No.': 'employee_no',
    Title: 'title',
    'Job Title': 'title',
    Department: 'department',
    Phone: 'phone',
    Location: 'customer, stock_customer_name',
    'Start Date': 'start_date',
    'End Date': 'end_date',
    // Locations
    'Location Name': 'customers.name',
    Address: 'address',
    City: 'city',
    Country: 'country',
    State: '',
    Company: '',
    'Default Location': '',
    Manager: '',
    'Created At': '',
    'Updated At': '',
  },
  match: null,
  value: {
    Category: wordsFor({
      laptop: ['Laptops', 'Notebooks'],
      desktop: ['Desktops', 'Workstations', 'PCs', 'Computers'],
      monitor: ['Monitors', 'Displays', 'Screens'],
      phone: ['Phones', 'Mobile Phones', 'Smartphones', 'VOIP Phones', 'Conference Phones'],
      tablet: ['Tablets'],
      server: ['Servers'],
      printer: ['Printers'],
      network: ['Network', 'Networking', 'Network Equipment', 'Switches', 'Routers', 'Access Points', 'Firewalls'],
      peripheral: ['Accessories', 'Peripherals', 'Keyboards', 'Mice', 'Docking Stations', 'Headsets', 'Webcams'],
      vehicle: ['Vehicles'],
      tool: ['Tools'],
      other: ['Misc', 'Miscellaneous', 'Others', 'Cameras', 'Projectors', 'TVs'],
    }),
    Status: wordsFor({
      in_use: [...deployed('Ready to Deploy'), ...deployed('Pending'), 'Deployed'],
      spare: [...statusWords('Ready to Deploy', ['Deployable']), 'Deployable'],
      reserved: statusWords('Pending'),
      in_repair: ['Out for Repair', 'Out for Diagnostics'].flatMap((label) => [
        ...statusWords(label),
        ...deployed(label),
      ]),
      lost: statusWords('Lost/Stolen'),
      retired: [...statusWords('Archived'), ...statusWords('Broken - Not Fixable')],
    }),
  },
}

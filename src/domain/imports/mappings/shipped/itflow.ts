import { type ShippedMapping, wordsFor } from './shipped-mapping.ts'

/** ITFlow: clients, and the contacts and assets of one client, as CSV. The contacts' file does not name the client. */
export const itflow: ShippedMapping = {
  name: 'itflow',
  map: {
    Name: 'name',
    Notes: 'notes',
    // Clients
    'Client Name': 'customers.name',
    Client: 'customer',
    Abbreviation: 'code',
    'Location Address': 'address',
    'Location Phone': 'customers.phone',
    City: 'city',
    State: '',
    Country: 'country',
    'Contact Email': 'customers.email',
    'Contact Phone': '',
    'Tax ID': 'tax_id',
    Currency: '',
    // Contacts
    Title: 'title',
    Department: 'department',
    Email: 'email',
    Phone: 'employees.phone',
    Location: '', // within the client
    Ext: '',
    Mobile: '',
    // Assets
    Type: 'hardware.type',
    Make: 'manufacturer',
    Model: 'model',
    'Serial Number': 'serial_number',
    'Purchase Date': 'purchase_date',
    'Warranty Expire': 'warranty_end',
    'Assigned To': 'employee',
    Description: '',
    'Operating System': '',
    'Install Date': '',
    'Physical Location': '',
    // Not imported
    Industry: '',
    Referral: '',
    Website: '',
    'Primary Location Name': '',
    'Postal Code': '',
    'Primary Contact Name': '',
    Extension: '',
    'Contact Mobile': '',
    'Hourly Rate': '',
    'Payment Terms': '',
    'Location Name': '',
    'Contact Name': '',
  },
  match: 'employees.email, hardware.serial_number, customers.code',
  value: {
    Type: wordsFor({
      phone: ['Mobile Phone'],
      network: ['Switch', 'Firewall/Router', 'Firewall', 'Router', 'Access Point'],
      server: ['Virtual Machine'],
      peripheral: ['Camera'],
      other: ['TV', 'Display Board'],
    }),
  },
}

// Google Cloud preview APIs: fleet scopes, event triggers, access policies, firewall endpoint associations and member grants.
package perimeter

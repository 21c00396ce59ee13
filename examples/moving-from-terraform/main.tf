variable "host" {}
terraform {
  required_providers {
    google = { source = "hashicorp/google" }
  }
}
provider "google" {
  project                          = "demo-project"
  access_token                     = "x"
  network_security_custom_endpoint = "${var.host}/v1/"
  healthcare_custom_endpoint       = "${var.host}/v1/"
}

resource "google_network_security_firewall_endpoint_association" "prod" {
  name              = "prod"
  parent            = "projects/demo-project"
  location          = "us-central1-a"
  network           = "projects/demo-project/global/networks/prod"
  firewall_endpoint = "organizations/123456789/locations/us-central1-a/firewallEndpoints/inspection"
  labels            = { team = "network" }
}

resource "google_healthcare_fhir_store_iam_member" "nurses" {
  fhir_store_id = "demo-project/us-central1/clinic/records"
  role          = "roles/healthcare.fhirResourceReader"
  member        = "group:nurses@example.com"
}

resource "google_healthcare_fhir_store_iam_member" "locum" {
  fhir_store_id = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records"
  role          = "roles/healthcare.fhirStoreViewer"
  member        = "user:Locum@example.com"
}
